import { loadHandlers } from "../src/server/load-handlers.ts";

// A new process loads the handlers after the handshake. Tests that wait for one turn must not depend on which file ran
// before them in the same process; handshake.test.ts tests the loading itself, with new modules.
await loadHandlers();
