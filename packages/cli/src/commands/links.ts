import { isRequired, isSecret } from "proffer/settings";
import { isUrl, textOf } from "../modules/packages.ts";
import { CommandError, WrongUsage } from "../terminal/command-error.ts";
import { print, printJson } from "../terminal/terminal.ts";
import { Text } from "../terminal/text.ts";
import { describePublished, type PublishedServer } from "./publish.ts";

export interface LinksFlags {
  readonly url?: string;
  readonly name?: string;
  readonly json?: boolean;
}

/** Prints links that install a server in clients. @throws {CommandError} for a package that npm does not publish. */
export async function links(file: string, { url, name, json = false }: LinksFlags): Promise<void> {
  if (url !== undefined && !isUrl(url)) throw new WrongUsage(`Invalid value of --url: ${JSON.stringify(url)}.`);
  const published = await describePublished(file);
  const { content } = published.project;
  const npm = textOf(content.name);
  if (url === undefined && (npm === undefined || content.private === true)) {
    throw new CommandError(
      'A link installs a package from npm, but package.json has no name or is private. Remove "private": true, or pass --url with the address of the server.',
    );
  }
  const source = url === undefined ? { npm: npm ?? "" } : { url };
  const created = createLinks({ ...published, ...(name !== undefined && { name }), source });
  if (json) printJson(created);
  else print(Text.block(toMarkdown(created)));
}

/** A server that a link installs: an npm package, or a URL. */
interface LinkedServer extends Pick<PublishedServer, "name" | "description" | "settings"> {
  readonly source: { readonly npm: string } | { readonly url: string };
}

/** Links that install a server in a client with one click, and its configuration for the other clients. */
export interface InstallLinks {
  readonly cursor: string;
  readonly vscode: string;
  readonly goose: string;
  /** Opens the program directly. GitHub removes such links from pages. */
  readonly direct: { readonly cursor: string; readonly vscode: string; readonly goose: string };
  readonly config: { readonly mcpServers: { readonly [name: string]: object } };
}

const BADGES = [
  ["cursor", "Add to Cursor", "https://cursor.com/deeplink/mcp-install-dark.svg"],
  [
    "vscode",
    "Install in VS Code",
    "https://img.shields.io/badge/VS_Code-Install_Server-0098FF?style=flat-square&logo=visualstudiocode&logoColor=white",
  ],
  ["goose", "Install in Goose", "https://block.github.io/goose/img/extension-install-dark.svg"],
] as const;

/** Creates the links of a server. Secrets are never part of them: the client asks, or the user fills them in. */
export function createLinks(server: LinkedServer): InstallLinks {
  const { name, source } = server;
  const command = "npm" in source ? { command: "npx", args: ["-y", source.npm] } : undefined;
  // An empty variable counts as not set, so the server says which one is missing.
  const blank = variablesOf(server, () => "");
  const config = command ? { ...command, ...env(blank) } : { url: "url" in source ? source.url : "" };
  const base64 = Buffer.from(JSON.stringify(config)).toString("base64");
  const cursor = toQuery(Object.entries({ name, config: base64 }));
  const inputs = inputsOf(server);
  const asked = variablesOf(server, (variable) => `\${input:${variable}}`);
  const typed = command ? { type: "stdio", ...command, ...env(asked) } : { type: "http", ...config };
  const questions = inputs.length > 0 && { inputs: JSON.stringify(inputs) };
  const vscode = toQuery(Object.entries({ name, ...questions, config: JSON.stringify(typed) }));
  const direct = { name, ...typed, ...(inputs.length > 0 && { inputs }) };
  const goose = gooseQuery(server);
  return {
    cursor: `https://cursor.com/en/install-mcp?${cursor}`,
    vscode: `https://insiders.vscode.dev/redirect/mcp/install?${vscode}`,
    goose: `https://block.github.io/goose/extension?${goose}`,
    direct: {
      cursor: `cursor://anysphere.cursor-deeplink/mcp/install?${cursor}`,
      vscode: `vscode:mcp/install?${encode(JSON.stringify(direct))}`,
      goose: `goose://extension?${goose}`,
    },
    config: { mcpServers: { [name]: config } },
  };
}

/** Writes badges for a README, and the configuration for the other clients. */
export function toMarkdown(links: InstallLinks): string {
  const badges = BADGES.map(([client, label, image]) => `[![${label}](${image})](${links[client]})`);
  const config = JSON.stringify(links.config, undefined, 2);
  return `${badges.join("\n")}\n\nFor other clients:\n\n\`\`\`json\n${config}\n\`\`\``;
}

/** Returns the required variables. Optional ones have defaults, and would only lengthen the link. */
function variablesOf(
  { settings, source }: LinkedServer,
  value: (name: string) => string,
): { readonly [name: string]: string } {
  if (settings === undefined || "url" in source) return {};
  const names = Object.keys(settings.properties).filter((name) => isRequired(settings, name));
  return Object.fromEntries(names.map((name) => [name, value(name)]));
}

function env(variables: { readonly [name: string]: string }): object {
  return Object.keys(variables).length === 0 ? {} : { env: variables };
}

/** The questions that VS Code asks before it starts the server; it stores the answers safely. */
function inputsOf(server: LinkedServer): object[] {
  return Object.keys(variablesOf(server, String)).map((id) => {
    const setting = server.settings?.properties[id] ?? {};
    const password = isSecret(setting);
    return { id, type: "promptString", description: setting.description ?? id, ...(password && { password }) };
  });
}

function gooseQuery(server: LinkedServer): string {
  const { name, description = name, source } = server;
  const start: [string, string][] =
    "npm" in source
      ? [
          ["cmd", "npx"],
          ["arg", "-y"],
          ["arg", source.npm],
        ]
      : [
          ["url", source.url],
          ["type", "streamable_http"],
        ];
  const asked = Object.keys(variablesOf(server, String)).map((variable): [string, string] => {
    return ["env", `${variable}=${server.settings?.properties[variable]?.description ?? variable}`];
  });
  return toQuery([...start, ["id", name], ["name", name], ["description", description], ...asked]);
}

function toQuery(entries: readonly (readonly [string, string])[]): string {
  return entries.map(([name, value]) => `${name}=${encode(value)}`).join("&");
}

/** Also encodes the characters that end a link in Markdown. */
function encode(value: string): string {
  return encodeURIComponent(value).replace(/[()'!*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}
