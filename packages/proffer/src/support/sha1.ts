/** Returns the SHA-1 digest of a text in hexadecimal digits. Redis names scripts by it; it protects nothing. */
export function sha1(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const blocks = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
  blocks.set(bytes);
  blocks[bytes.length] = 0x80;
  const view = new DataView(blocks.buffer);
  view.setUint32(blocks.length - 4, bytes.length * 8);
  const state = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];
  for (let offset = 0; offset < blocks.length; offset += 64) addBlock(state, view, offset);
  return state.map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

function addBlock(state: number[], view: DataView, offset: number): void {
  const words = Array.from({ length: 80 }, (_, i) => (i < 16 ? view.getUint32(offset + 4 * i) : 0));
  const word = (i: number) => words[i] ?? 0;
  for (let i = 16; i < 80; i++) words[i] = rotate(word(i - 3) ^ word(i - 8) ^ word(i - 14) ^ word(i - 16), 1);
  let [a = 0, b = 0, c = 0, d = 0, e = 0] = state;
  for (let i = 0; i < 80; i++) {
    const [mixed, constant] = mix(i, b, c, d);
    const next = (rotate(a, 5) + mixed + e + constant + word(i)) | 0;
    [a, b, c, d, e] = [next, a, rotate(b, 30), c, d];
  }
  for (const [i, value] of [a, b, c, d, e].entries()) state[i] = ((state[i] ?? 0) + value) | 0;
}

function mix(round: number, b: number, c: number, d: number): readonly [number, number] {
  if (round < 20) return [(b & c) | (~b & d), 0x5a827999];
  if (round < 40) return [b ^ c ^ d, 0x6ed9eba1];
  if (round < 60) return [(b & c) | (b & d) | (c & d), 0x8f1bbcdc];
  return [b ^ c ^ d, 0xca62c1d6];
}

function rotate(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}
