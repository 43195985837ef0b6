/** The data types of MCP, in the shape of the newest revision. They are converted for older revisions. */

export const LOG_LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

/** Whether a message of this level is sent to a client that wants messages from `wanted` on. */
export function isLoud(level: LogLevel, wanted: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(wanted);
}

/** Returns the parameters of `notifications/message`, which must have data. */
export function logMessage(level: LogLevel, data: unknown, logger: string | undefined): object {
  return { level, ...(logger === undefined ? {} : { logger }), data: data ?? null };
}

/** Metadata that Proffer passes through unread. Keys have the form `prefix/name`; MCP's own prefixes are reserved. */
export type Meta = { readonly [key: string]: unknown };

export interface Icon {
  /** An https or data URI. */
  readonly src: string;
  readonly mimeType?: string;
  readonly sizes?: readonly string[];
  readonly theme?: "light" | "dark";
}

export interface Annotations {
  readonly audience?: readonly ("user" | "assistant")[];
  /** From 0 (least important) to 1 (most important). */
  readonly priority?: number;
  /** An ISO 8601 date and time. */
  readonly lastModified?: string;
}

export interface Implementation {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  readonly description?: string;
  readonly websiteUrl?: string;
  readonly icons?: readonly Icon[];
}

/** Hints for the model and the user; clients must not rely on them for safety. */
export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** The properties that tools, prompts, resources and templates share. */
interface Described {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly icons?: readonly Icon[];
  readonly _meta?: Meta;
}

export interface ToolDescription extends Described {
  readonly inputSchema: object;
  readonly outputSchema?: object;
  readonly annotations?: ToolAnnotations;
}

export interface PromptArgument {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly required?: boolean;
}

export interface PromptDescription extends Described {
  readonly arguments?: readonly PromptArgument[];
}

export interface ResourceDescription extends Described {
  readonly uri: string;
  readonly mimeType?: string;
  /** In bytes, before any encoding. */
  readonly size?: number;
  readonly annotations?: Annotations;
}

export interface TemplateDescription extends Described {
  readonly uriTemplate: string;
  readonly mimeType?: string;
  readonly annotations?: Annotations;
}

export interface ResourceContents {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text?: string;
  /** Bytes in base64. */
  readonly blob?: string;
  readonly _meta?: Meta;
}

interface Block {
  readonly annotations?: Annotations;
  readonly _meta?: Meta;
}

export interface TextBlock extends Block {
  readonly type: "text";
  readonly text: string;
}

export interface MediaBlock extends Block {
  readonly type: "image" | "audio";
  /** Bytes in base64. */
  readonly data: string;
  readonly mimeType: string;
}

export interface LinkBlock extends ResourceDescription {
  readonly type: "resource_link";
}

export interface EmbedBlock extends Block {
  readonly type: "resource";
  readonly resource: ResourceContents;
}

export type ContentBlock = TextBlock | MediaBlock | LinkBlock | EmbedBlock;

export interface CallResult {
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly _meta?: Meta;
}

export interface ReadResult {
  readonly contents: readonly ResourceContents[];
  readonly _meta?: Meta;
}

export interface PromptMessage {
  readonly role: "user" | "assistant";
  readonly content: ContentBlock;
}

export interface PromptResult {
  readonly description?: string;
  readonly messages: readonly PromptMessage[];
  readonly _meta?: Meta;
}

export interface Progress {
  readonly progressToken: string | number;
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** How long a result may be cached, and whether caches may share it between users. */
export interface CacheHints {
  readonly ttlMs: number;
  readonly cacheScope: "public" | "private";
}

export interface ClientCapabilities {
  readonly elicitation?: { readonly form?: object; readonly url?: object };
  readonly sampling?: { readonly context?: object; readonly tools?: object };
  readonly roots?: { readonly listChanged?: boolean };
  readonly extensions?: { readonly [name: string]: object };
  readonly experimental?: { readonly [name: string]: object };
}
