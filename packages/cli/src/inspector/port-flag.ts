import { WrongUsage } from "../terminal/command-error.ts";

/** @throws {WrongUsage} if the value of `--port` is no port. */
export function toPort(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const port = Number(value);
  if (/^\d+$/.test(value) && port <= 65_535) return port;
  throw new WrongUsage(`Invalid value of --port: ${JSON.stringify(value)}. Use a number from 0 to 65535.`);
}
