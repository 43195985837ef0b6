/**
 * Hashes the identity of a question or step within a call. It need not resist an attacker, because the state that
 * carries it is sealed. 64 bits, mixed as in MurmurHash, make an accidental collision negligible.
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
 * Writes 32 bits as seven characters that JSON does not escape. It runs for every question of every run of a handler,
 * so it avoids the division by 36 in `toString(36)`.
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
