import { spawn } from "node:child_process";
import { connect, createServer } from "node:net";

// Runs beside a client, where only loopback may exist: it passes bytes to sockets in a folder, behind which the lab is.
//   relay.js pipe <socket>                                    stdin and stdout ↔ the socket
//   relay.js run <port>=<socket>,… <command> <arguments…>     ports of loopback ↔ sockets, and the client

const [mode, places = "", command = "", ...args] = process.argv.slice(2);

if (mode === "pipe") {
  const socket = connect({ path: places, allowHalfOpen: true });
  process.stdin.pipe(socket).pipe(process.stdout, { end: false });
  // The lab has ended, whatever the client still sends.
  socket.on("end", () => process.stdout.write("", () => process.exit(0)));
  socket.on("error", () => process.exit(1));
} else {
  const ports = places === "" ? [] : places.split(",").map((place) => place.split("="));
  await Promise.all(ports.map(([port, path = ""]) => listen(Number(port), path)));
  process.stdin.resume().on("end", () => {
    // The first process of a namespace ends all others with it; elsewhere, the group does.
    if (process.pid === 1) process.exit(1);
    process.kill(-process.pid, "SIGKILL");
  });
  const client = spawn(command, args, { stdio: ["ignore", "inherit", "inherit"] });
  client.on("error", ({ message }) => {
    process.stderr.write(`${message}\n`);
    process.exit(127);
  });
  client.on("exit", (code, signal) => {
    if (signal !== null) process.stderr.write(`The client was ended by ${signal}.\n`);
    process.exit(code ?? 128);
  });
}

function listen(port: number, path: string): Promise<void> {
  const server = createServer((socket) => {
    const other = connect(path);
    socket.pipe(other).pipe(socket);
    socket.on("error", () => other.destroy());
    other.on("error", () => socket.destroy());
  });
  return new Promise((resolve) => server.listen(port, "127.0.0.1", resolve));
}
