import { describe, it } from "vitest";
import { abandonSessions, restart } from "./heap-cases.ts";

describe("the heap", () => {
  it("is flat while sessions are abandoned among busy ones", () => abandonSessions(1000));

  it("is flat while a server starts and stops on one port, without warnings", () => restart(50));
});
