/**
 * Tells one question or step from another within a call. It need not resist an attacker: the state that carries it is
 * sealed. Two 32-bit halves, mixed as in MurmurHash, make an accidental collision a matter of centuries.
 */
export function fingerprint(text: string): string {
  let high = 0x9e3779b9;
  let low = 0x85ebca6b;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    high = Math.imul(high ^ code, 0x9e3779b1);
    low = Math.imul(low ^ code, 0x5f356495);
  }
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  return digits(high) + digits(low);
}

/**
 * 32 bits as seven characters that JSON does not escape. A handler that asks makes one for each question of each run, and
 * toString(36) takes ten times as long.
 */
function digits(bits: number): string {
  return String.fromCharCode(
    48 + (bits & 31),
    48 + ((bits >>> 5) & 31),
    48 + ((bits >>> 10) & 31),
    48 + ((bits >>> 15) & 31),
    48 + ((bits >>> 20) & 31),
    48 + ((bits >>> 25) & 31),
    48 + (bits >>> 30),
  );
}
