// Servers for the tests of the tap: node tap-servers.mjs <kind> [file]
import { writeFileSync } from "node:fs";

const [, , kind, file] = process.argv;
const { stdin, stdout, stderr } = process;

const KINDS = {
  /** Returns all bytes, and writes to a file when the client has closed stdin. */
  echo() {
    stderr.write("echo is ready\n");
    const { API_TOKEN = "" } = process.env;
    if (API_TOKEN)
      stderr.write(`half ${API_TOKEN.slice(0, 6)}`, () =>
        setTimeout(() => stderr.write(`${API_TOKEN.slice(6)}\n`), 50),
      );
    stdin.pipe(stdout, { end: false });
    stdin.on("end", () => file && writeFileSync(file, "ended"));
  },
  /** Writes 24 MiB as fast as it may, and the number of accepted bytes to a file. */
  async flood() {
    const chunk = Buffer.alloc(64 * 1024, "x");
    for (let sent = 0; sent < 24 * 1024 * 1024; ) {
      if (!stdout.write(chunk)) await new Promise((resolve) => stdout.once("drain", resolve));
      sent += chunk.length;
      writeFileSync(file, String(sent));
    }
    stdin.resume();
  },
  /** Reads nothing before SIGUSR2; then counts. */
  late() {
    let count = 0;
    const timer = setInterval(() => {}, 1000);
    process.on("SIGUSR2", () => {
      clearInterval(timer);
      stdin.on("data", (chunk) => {
        count += chunk.length;
      });
      stdin.on("end", () => stdout.write(String(count)));
    });
    // Now: before, the signal would end it.
    stderr.write("waiting\n");
  },
  exit() {
    stderr.write("\u001b[31mbye\u0000\xff\n", "latin1");
    stdout.write('{"jsonrpc":"2.0","id":1,"res', () => process.exit(7));
  },
  crash() {
    stdout.write("half a line", () => process.kill(process.pid, "SIGKILL"));
  },
  /** Ends with a code of its own after SIGTERM. */
  term() {
    process.on("SIGTERM", () => process.exit(9));
    stdin.resume();
    stdout.write("ready\n");
  },
  wait() {
    stdin.resume();
    stdout.write("ready\n");
  },
};

await KINDS[kind]();
