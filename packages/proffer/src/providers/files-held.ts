import fs, { type BigIntStats } from "node:fs";

const CHUNK = 64 * 1024;

/**
 * A file that is held open. It does what a FileHandle of node:fs/promises does, at about half the cost for each step.
 * Whoever gets one closes it.
 */
export class HeldFile {
  readonly fd: number;

  constructor(fd: number) {
    this.fd = fd;
  }

  stat(): Promise<BigIntStats> {
    return new Promise((resolve, reject) => {
      fs.fstat(this.fd, { bigint: true }, (error, stats) => (error ? reject(error) : resolve(stats)));
    });
  }

  /** Reads so many bytes from a position into a buffer; gives how many there were. */
  read(into: Buffer, at: number, length: number, position: number): Promise<number> {
    return new Promise((resolve, reject) => {
      fs.read(this.fd, into, at, length, position, (error, count) => (error ? reject(error) : resolve(count)));
    });
  }

  /** Where the file is, on Linux. */
  location(): Promise<string> {
    return new Promise((resolve, reject) => {
      fs.readlink(`/proc/self/fd/${this.fd}`, (error, path) => (error ? reject(error) : resolve(path)));
    });
  }

  /** The whole file in pieces, from its beginning. */
  async *chunks(): AsyncGenerator<Buffer> {
    for (let position = 0; ; ) {
      const chunk = Buffer.allocUnsafe(CHUNK);
      const count = await this.read(chunk, 0, CHUNK, position);
      if (count === 0) return;
      yield chunk.subarray(0, count);
      position += count;
    }
  }

  close(): Promise<void> {
    return new Promise((resolve, reject) => {
      fs.close(this.fd, (error) => (error ? reject(error) : resolve()));
    });
  }
}

/** Opens a file for reading, with the flags of `open(2)` that are given besides. */
export function holdFile(path: string, flags: number = fs.constants.O_RDONLY): Promise<HeldFile> {
  return new Promise((resolve, reject) => {
    fs.open(path, flags, (error, fd) => (error ? reject(error) : resolve(new HeldFile(fd))));
  });
}
