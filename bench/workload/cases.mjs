import { blob1M, TEXT_1K, text1M } from "./definition.mjs";
import { FILES, fileName, fileText } from "./files.mjs";

const items = Array.from({ length: 50 }, (_, i) => ({
  id: i,
  name: `item ${i}`,
  tags: ["a", "b", "c"],
  pos: { x: i, y: i / 2 },
  active: i % 2 === 0,
}));

/** Entries per page of a very large list. */
const ROWS_PER_PAGE = 1_000;

/**
 * The measured requests: the request, the profile of the server, and the check of the response before the measurement.
 *
 * `params` may be a function of `ask`, for requests that depend on earlier responses or differ from each other; it then
 * returns a list of params. `whole` is the number of entries of a list: a server with pagination is charged for all
 * requests that the whole list takes.
 */
export const CASES = {
  echo: call("small", "echo", { message: "hello, world" }, "hello, world"),
  nested50: call("small", "nested", { items }, "50 items, sum 1225"),
  template: read("small", "item://42", "text", "item 42"),
  template500: read("templates500", "item499://42", "text", "item 42"),
  "echo of 100": call("tools100", "echo", { message: "hello, world" }, "hello, world"),
  "100 tools": list("tools100", "tools/list", "tools", 100),
  "1k resources": list("resources1k", "resources/list", "resources", 1_000),
  "10k resources": list("resources10k", "resources/list", "resources", 10_000),
  "page of 1m": {
    profile: "resources1m",
    method: "resources/list",
    params: walkPages,
    check: ({ resources }) => resources?.length === ROWS_PER_PAGE,
  },
  "fixed 1 KiB": read("small", "text://1k", "text", TEXT_1K),
  "fixed 1 MiB": read("small", "text://1m", "text", text1M()),
  "fixed blob": read("small", "blob://1m", "blob", blob1M()),
  "made 1 MiB": read("small", "computed://text", "text", text1M()),
  "made blob": read("small", "computed://blob", "blob", blob1M()),
  file: {
    profile: "files",
    method: "resources/read",
    params: () => Array.from({ length: FILES }, (_, i) => ({ uri: `docs://${fileName(i)}` })),
    check: ({ contents }, { uri }) => contents?.[0]?.text === fileText(uri.slice("docs://".length)),
  },
};

function call(profile, name, args, text) {
  return {
    profile,
    method: "tools/call",
    params: { name, arguments: args },
    check: ({ content, isError }) => content?.[0]?.text === text && !isError,
  };
}

function read(profile, uri, key, value) {
  return {
    profile,
    method: "resources/read",
    params: { uri },
    check: ({ contents }) => contents?.[0]?.uri === uri && contents[0][key] === value,
  };
}

function list(profile, method, key, whole) {
  return { profile, method, params: {}, check: (result) => result[key]?.length > 0, key, whole };
}

/** Reads the pages in order from the start of the list, to get real cursors. */
async function walkPages(ask) {
  const pages = [{}];
  while (pages.length < 50) {
    const { nextCursor } = await ask(pages.at(-1));
    if (nextCursor === undefined) throw new Error("a list of 1,000,000 entries ended early");
    pages.push({ cursor: nextCursor });
  }
  return pages;
}
