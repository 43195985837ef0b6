import { connect } from "node:net";

/** Milliseconds for a connection. */
const TIMEOUT = 5000;

/** Finds whether anything accepts connections at the address of a URL. Nothing is sent. */
export function isListening(url: string): Promise<boolean> {
  const { hostname, port, protocol } = new URL(url);
  const socket = connect({
    // An IPv6 address has brackets in a URL only.
    host: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? (protocol === "https:" ? 443 : 80) : Number(port),
    timeout: TIMEOUT,
  });
  return new Promise((resolve) => {
    const end = (isThere: boolean) => {
      resolve(isThere);
      socket.destroy();
    };
    socket.on("connect", () => end(true));
    socket.on("timeout", () => end(false));
    socket.on("error", () => end(false));
  });
}
