import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const npmPackage = join(root, "node_modules/@sparticuz/chromium");

/** Where Linux and macOS install a Chromium. */
const USUAL_PLACES = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/opt/google/chrome/chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

/** Instead of the package's own, which has only paths of a cloud service: without any font, text has no height. */
const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;

export interface Chromium {
  readonly path: string;
  /** Additional environment variables. */
  readonly env: { readonly [name: string]: string };
}

/** Finds a Chromium: the one that `PROFFER_CHROMIUM` names, the one of npm, one of the system. */
export function findChromium(): Chromium | undefined {
  const { PROFFER_CHROMIUM: chosen } = process.env;
  if (chosen) return { path: chosen, env: {} };
  // Its binary is for this platform only.
  if (process.platform === "linux" && process.arch === "x64" && existsSync(npmPackage)) return unpackChromium();
  const path = USUAL_PLACES.find((place) => existsSync(place));
  return path === undefined ? undefined : { path, env: {} };
}

/**
 * Unpacks the browser of @sparticuz/chromium once, with the libraries and fonts that bare images lack. It must not be
 * unpacked to its default place, a fixed name in the shared temporary folder: another user could have put a program there.
 */
function unpackChromium(): Chromium {
  const { version } = JSON.parse(readFileSync(join(npmPackage, "package.json"), "utf8"));
  const folder = join(root, "node_modules/.cache", `chromium-${version}`);
  if (!existsSync(folder)) {
    mkdirSync(dirname(folder), { recursive: true });
    const staging = mkdtempSync(`${folder}-`);
    inflate(join(npmPackage, "bin"), staging);
    writeFileSync(join(staging, "fonts/fonts.conf"), FONTS);
    try {
      renameSync(staging, folder);
    } catch (error) {
      // Another worker was faster.
      rmSync(staging, { recursive: true, force: true });
      if (!existsSync(folder)) throw error;
    }
  }
  const libraries = [join(folder, "al2023/lib"), process.env.LD_LIBRARY_PATH].filter(Boolean).join(":");
  const env = {
    LD_LIBRARY_PATH: libraries,
    FONTCONFIG_PATH: join(folder, "fonts"),
    XDG_CACHE_HOME: join(folder, "cache"),
  };
  return { path: join(folder, "chromium"), env };
}

/** In another process: the package unpacks to the temporary folder of the process. */
function inflate(archives: string, folder: string): void {
  const script = [
    'import { inflate } from "@sparticuz/chromium";',
    `for (const name of ["al2023.tar.br", "fonts.tar.br", "swiftshader.tar.br", "chromium.br"])`,
    `  await inflate(${JSON.stringify(archives)} + "/" + name);`,
  ].join("\n");
  const env = { ...process.env, TMPDIR: folder };
  const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], { cwd: root, env });
  if (status !== 0) throw new Error(`@sparticuz/chromium cannot be unpacked: ${stderr}`);
}
