/** Types by extension, for those who have not installed `mime`. */
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

/** The type of a file by its name; undefined if the name does not tell. */
export type TypeByName = (path: string) => string | undefined;

let loaded: Promise<TypeByName> | undefined;

/** Types by the `mime` package where it is installed, otherwise by the table above. */
export function loadTypes(): Promise<TypeByName> {
  loaded ??= loadMime().catch(() => typeFromTable);
  return loaded;
}

async function loadMime(): Promise<TypeByName> {
  // biome-ignore lint/style/noRestrictedImports: an optional peer, loaded when it is needed
  const { default: mime } = await import("mime");
  // The table comes first where `mime` thinks of something else: .ts is a video to it, .lua unknown.
  return (path) => PREFERRED.get(extensionOf(path)) ?? mime.getType(path) ?? typeFromTable(path);
}

const PREFERRED: ReadonlyMap<string, string> = new Map(
  ["ts", "tsx", "lua", "py"].map((extension) => [extension, TYPES[extension] ?? ""]),
);

/** The type by the table alone. */
export function typeFromTable(path: string): string | undefined {
  const extension = extensionOf(path);
  return Object.hasOwn(TYPES, extension) ? TYPES[extension] : undefined;
}

function extensionOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  return dot <= 0 ? "" : name.slice(dot + 1).toLowerCase();
}
