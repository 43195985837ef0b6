/** Headers whose values must not be recorded. Others name theirs, such as `x-api-key` or `x-auth-token`. */
const SECRET = /auth|cookie|key|token|secret|password|signature|credential/i;
/** Whoever knows the whole id of a session can continue it. */
const SESSION = "mcp-session-id";
const SHOWN = 8;
/** Characters of one value. */
const MAX_LENGTH = 2000;

const MASK = "•••";

/** Returns headers with the values of secret ones masked. */
export function maskHeaders(headers: Iterable<readonly [string, string]>): Record<string, string> {
  return Object.fromEntries([...headers].map(([name, value]) => [name.toLowerCase(), masked(name, value)]));
}

function masked(name: string, value: string): string {
  if (name.toLowerCase() === SESSION) return `${value.slice(0, SHOWN)}${MASK}`;
  return SECRET.test(name) ? MASK : value.slice(0, MAX_LENGTH);
}
