/** Media types by extension, used if the package `mime` is not installed. */
const TYPES: Readonly<Record<string, string>> = {
  aac: "audio/aac",
  avif: "image/avif",
  bin: "application/octet-stream",
  bmp: "image/bmp",
  css: "text/css",
  csv: "text/csv",
  doc: "application/msword",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  gif: "image/gif",
  gz: "application/gzip",
  htm: "text/html",
  html: "text/html",
  ico: "image/vnd.microsoft.icon",
  ics: "text/calendar",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  js: "text/javascript",
  json: "application/json",
  jsonl: "application/jsonl",
  lua: "text/x-lua",
  md: "text/markdown",
  mjs: "text/javascript",
  mp3: "audio/mpeg",
  mp4: "video/mp4",
  oga: "audio/ogg",
  ogg: "audio/ogg",
  pdf: "application/pdf",
  png: "image/png",
  py: "text/x-python",
  rtf: "application/rtf",
  sh: "application/x-sh",
  sql: "application/sql",
  svg: "image/svg+xml",
  tar: "application/x-tar",
  tif: "image/tiff",
  tiff: "image/tiff",
  toml: "application/toml",
  ts: "text/typescript",
  tsv: "text/tab-separated-values",
  tsx: "text/typescript",
  txt: "text/plain",
  wasm: "application/wasm",
  wav: "audio/wav",
  webm: "video/webm",
  webp: "image/webp",
  xls: "application/vnd.ms-excel",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  xml: "application/xml",
  yaml: "application/yaml",
  yml: "application/yaml",
  zip: "application/zip",
};

/** Returns the media type for a file name; undefined if unknown. */
export type TypeByName = (path: string) => string | undefined;

let loaded: Promise<TypeByName> | undefined;

/** Loads the `mime` package if it is installed; falls back to the table above. */
export function loadTypes(): Promise<TypeByName> {
  loaded ??= loadMime().catch(() => typeFromTable);
  return loaded;
}

async function loadMime(): Promise<TypeByName> {
  // biome-ignore lint/style/noRestrictedImports: an optional peer, loaded when it is needed
  const { default: mime } = await import("mime");
  // For some extensions the table takes precedence: `mime` maps .ts to a video type and does not know .lua.
  return (path) => PREFERRED.get(extensionOf(path)) ?? mime.getType(path) ?? typeFromTable(path);
}

const PREFERRED: ReadonlyMap<string, string> = new Map(
  ["ts", "tsx", "lua", "py"].map((extension) => [extension, TYPES[extension] ?? ""]),
);

/** Looks up the media type in the table only. */
export function typeFromTable(path: string): string | undefined {
  const extension = extensionOf(path);
  return Object.hasOwn(TYPES, extension) ? TYPES[extension] : undefined;
}

function extensionOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  return dot <= 0 ? "" : name.slice(dot + 1).toLowerCase();
}
