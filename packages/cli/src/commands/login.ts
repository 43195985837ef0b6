import { nameOfUrl } from "proffer/client";
import { Login, LoginError, type LoginOptions, receiveOnLoopback } from "proffer/client/oauth";
import type { TargetArguments } from "../client/arguments.ts";
import { openBrowser } from "../inspect/announce.ts";
import { credentialFile, credentialPath } from "../login/credential-file.ts";
import { CommandError, WrongUsage } from "../terminal/command-error.ts";
import { hideFromErrors } from "../terminal/redact.ts";
import { currentShell } from "../terminal/shell.ts";
import { say } from "../terminal/terminal.ts";
import { text } from "../terminal/text.ts";

export interface LoginFlags {
  readonly scope?: readonly string[];
  readonly issuer?: string;
  readonly clientId?: string;
  readonly clientSecretEnv?: string;
  readonly clientMetadata?: string;
  readonly open: boolean;
}

/** Logs the user in to a server, and keeps the credentials. @throws {CommandError} if that fails. */
export async function login({ target }: TargetArguments, flags: LoginFlags): Promise<void> {
  const { scope, issuer, clientId, clientSecretEnv, clientMetadata, open } = flags;
  if (clientSecretEnv !== undefined && (clientId === undefined || issuer === undefined)) {
    throw new WrongUsage("--client-secret-env needs --client-id, and --issuer, which may get the secret.");
  }
  const secret = clientSecretEnv === undefined ? undefined : readSecret(clientSecretEnv);
  const options: LoginOptions = {
    redirect: receiveOnLoopback((page) => {
      say(text`Log in on this page: ${page}`);
      if (open) openBrowser(page, () => say(text`No browser could be opened. Open the address yourself.`));
    }),
    ...(scope && { scopes: scope }),
    ...(issuer !== undefined && { issuer }),
    ...(clientId !== undefined && { client: { id: clientId, ...(secret && { secret }) } }),
    ...(clientMetadata !== undefined && { clientMetadataUrl: clientMetadata }),
  };
  const url = urlOf(target);
  const granted = await explain(loginTo(url, options).logIn());
  if (granted === undefined) return say(text`${nameOfUrl(url)} asks for no login.`);
  const scopes = granted.scopes?.length ? ` for ${granted.scopes.join(" ")}` : "";
  say(text`Logged in to ${nameOfUrl(url)}${scopes}. The credentials are in ${credentialPath()}.`);
}

/** Forgets the credentials of a server. */
export async function logout({ target }: TargetArguments): Promise<void> {
  const url = urlOf(target);
  const name = nameOfUrl(url);
  const isRevoked = await explain(loginTo(url).logOut());
  if (isRevoked === undefined) return say(text`There are no credentials for ${name}.`);
  const rest = isRevoked
    ? "The tokens were revoked."
    : "The authorization server did not revoke the tokens: they end later.";
  say(text`Logged out of ${name}. ${rest}`);
}

function loginTo(url: string, options: LoginOptions = {}): Login {
  return new Login(url, { store: credentialFile, clientName: "Proffer CLI", ...options });
}

function urlOf(target: TargetArguments["target"]): string {
  if (target.kind === "url") return target.url;
  throw new WrongUsage("login and logout need the URL of a server.");
}

function readSecret(variable: string): string {
  const secret = currentShell().env[variable]?.trim();
  if (!secret) throw new WrongUsage(`--client-secret-env: the environment variable ${variable} is not set or empty.`);
  hideFromErrors(secret);
  return secret;
}

async function explain<Value>(work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof LoginError ? new CommandError(error.message, { cause: error }) : error;
  }
}
