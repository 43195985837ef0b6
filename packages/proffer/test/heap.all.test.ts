import { describe, it } from "vitest";
import { abandonSessions, restart } from "./heap-cases.ts";

/** Long runs open more sessions and restart more often. */
const SESSIONS = Number(process.env.PROFFER_SESSIONS ?? 3000);
const RESTARTS = Number(process.env.PROFFER_RESTARTS ?? 1000);

describe("the heap", { timeout: 600_000 }, () => {
  it(`is flat while ${SESSIONS} sessions are abandoned among busy ones`, () => abandonSessions(SESSIONS));

  it(`is flat while a server starts and stops ${RESTARTS} times on one port`, () => restart(RESTARTS));
});
