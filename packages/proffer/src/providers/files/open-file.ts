import fs, { type BigIntStats } from "node:fs";

const CHUNK = 64 * 1024;

/**
 * An open file. The caller closes it. Only `open` and `read`, which may wait for a disk, run in the thread pool: the
 * metadata of a file that was just opened is in memory, and a synchronous call is cheaper than the thread pool.
 */
export class OpenFile {
  readonly fd: number;

  constructor(fd: number) {
    this.fd = fd;
  }

  stat(): BigIntStats {
    return fs.fstatSync(this.fd, { bigint: true });
  }

  /** Reads up to `length` bytes from `position` into a buffer. Returns the number of bytes read. */
  read(into: Buffer, at: number, length: number, position: number): Promise<number> {
    return new Promise((resolve, reject) => {
      fs.read(this.fd, into, at, length, position, (error, count) => (error ? reject(error) : resolve(count)));
    });
  }

  /** The current path of the open file. Linux only. */
  location(): string {
    return fs.readlinkSync(`/proc/self/fd/${this.fd}`);
  }

  /** Yields the whole file in chunks. */
  async *chunks(): AsyncGenerator<Buffer> {
    for (let position = 0; ; ) {
      const chunk = Buffer.allocUnsafe(CHUNK);
      const count = await this.read(chunk, 0, CHUNK, position);
      if (count === 0) return;
      yield chunk.subarray(0, count);
      position += count;
    }
  }

  close(): void {
    fs.closeSync(this.fd);
  }
}

/** Opens a file with the given flags of `open(2)`. */
export function openFile(path: string, flags: number = fs.constants.O_RDONLY): Promise<OpenFile> {
  return new Promise((resolve, reject) => {
    fs.open(path, flags, (error, fd) => (error ? reject(error) : resolve(new OpenFile(fd))));
  });
}
