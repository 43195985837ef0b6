/** A seeded generator of random values (mulberry32), so that a run can be repeated with the same choices. */
export class Random {
  #state;

  constructor(seed) {
    this.#state = seed >>> 0;
  }

  /** From 0 to 1, without 1. */
  next() {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer from 0 to `end`, without `end`. */
  below(end) {
    return Math.floor(this.next() * end);
  }

  pick(values) {
    return values[this.below(values.length)];
  }

  /** A generator with its own sequence, so that the choices of one client do not depend on the speed of others. */
  fork() {
    return new Random(this.below(2 ** 32));
  }

  bytes(length) {
    return Buffer.from(Array.from({ length }, () => this.below(256)));
  }

  /** A text that no other client has and that every answer to its owner repeats. */
  secret() {
    const digits = () =>
      this.below(36 ** 6)
        .toString(36)
        .padStart(6, "0");
    return `secret-${digits()}${digits()}`;
  }
}

const SECRET = /secret-[0-9a-z]{12}/g;

/** The number of bytes in a text that belong to clients other than the owner of `secret`. */
export function foreignBytes(content, secret) {
  let bytes = 0;
  for (const [found] of content.matchAll(SECRET)) if (found !== secret) bytes += found.length;
  return bytes;
}
