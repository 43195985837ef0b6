import { describe, it } from "vitest";
import { abandonSessions, restart } from "./heap-cases.ts";

describe("the heap", () => {
  it("T088: is flat while sessions are abandoned among busy ones", () => abandonSessions(1000));

  it("T104: is flat while a server starts and stops on one port, without warnings", () => restart(50));
});
