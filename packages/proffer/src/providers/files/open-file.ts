import fs, { type BigIntStats } from "node:fs";

const CHUNK = 64 * 1024;

/**
 * A file that is held open. Whoever gets one closes it. Only what may have to wait for a disk, to open and to read, goes
 * through a thread: what the system knows of a file that it has just opened for reading it has at hand, and a thread
 * costs ten times as much as to ask.
 */
export class OpenFile {
  readonly fd: number;

  constructor(fd: number) {
    this.fd = fd;
  }

  stat(): BigIntStats {
    return fs.fstatSync(this.fd, { bigint: true });
  }

  /** Reads so many bytes from a position into a buffer; gives how many there were. */
  read(into: Buffer, at: number, length: number, position: number): Promise<number> {
    return new Promise((resolve, reject) => {
      fs.read(this.fd, into, at, length, position, (error, count) => (error ? reject(error) : resolve(count)));
    });
  }

  /** Where the file is, on Linux. */
  location(): string {
    return fs.readlinkSync(`/proc/self/fd/${this.fd}`);
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

  close(): void {
    fs.closeSync(this.fd);
  }
}

/** Opens a file for reading, with the flags of `open(2)` that are given besides. */
export function openFile(path: string, flags: number = fs.constants.O_RDONLY): Promise<OpenFile> {
  return new Promise((resolve, reject) => {
    fs.open(path, flags, (error, fd) => (error ? reject(error) : resolve(new OpenFile(fd))));
  });
}
