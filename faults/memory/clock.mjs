let ahead = 0;
const now = Date.now;

/** Moves the clock of this process forward. */
export function advanceClock(milliseconds) {
  if (ahead === 0) Date.now = () => now() + ahead;
  ahead += milliseconds;
}
