import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ManifestSettings } from "proffer/derived";
import { CommandError } from "../terminal/command-error.ts";
import { fromHere } from "../terminal/shell.ts";

export interface DockerOptions {
  /** The file that starts the server. */
  readonly index: string;
  /** Whether the folder needs its packages. */
  readonly installs: boolean;
  readonly settings: ManifestSettings | undefined;
}

/** Asks the server whether it accepts calls. The image has no curl. */
const PROBE =
  // biome-ignore lint/suspicious/noTemplateCurlyInString: evaluated in the container.
  "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))";

/**
 * Writes a Dockerfile into a built folder, for `docker build <folder>`, and a .dockerignore. Returns the number of files.
 * @throws {CommandError} if an asset has one of these names.
 */
export function writeDocker(folder: string, options: DockerOptions): number {
  const files = Object.entries({ Dockerfile: describeDocker(options), ".dockerignore": IGNORED });
  for (const [name, content] of files) {
    try {
      writeFileSync(join(fromHere(folder), name), content, { flag: "wx" });
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause;
      throw new CommandError(`An asset of the build is named ${name}. Rename it, or leave --docker out.`, { cause });
    }
  }
  return files.length;
}

/** Packages are installed in the image: those of this machine may be for another platform. */
const IGNORED = "node_modules\nDockerfile\n.dockerignore\n";

function describeDocker({ index, installs, settings }: DockerOptions): string {
  const lines = [
    ...commentOn(settings),
    "FROM node:22-slim",
    "WORKDIR /app",
    ...(installs ? ["COPY package.json ./", "RUN npm install --omit=dev"] : []),
    "COPY . .",
    "USER node",
    "ENV NODE_ENV=production PROFFER_HOST=0.0.0.0 PORT=3000",
    "EXPOSE 3000",
    `HEALTHCHECK --interval=10s --timeout=3s --start-period=5s CMD ${JSON.stringify(["node", "-e", PROBE])}`,
    `CMD ${JSON.stringify(["node", index, "--http", "--health"])}`,
  ];
  return `${lines.join("\n")}\n`;
}

/** Names the variables to set. Their values must not be part of the image. */
function commentOn(settings: ManifestSettings | undefined): string[] {
  const names = ["PROFFER_ALLOWED_HOSTS", ...Object.keys(settings?.properties ?? {})];
  return [`# Set these variables when the container runs, with -e or --env-file: ${names.join(", ")}`];
}
