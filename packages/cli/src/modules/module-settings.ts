import type { Manifest } from "proffer/derived";

/**
 * Checks the environment variables that a module needs, before it is imported. A module without settings loads nothing.
 * @throws {UsageError} with all problems at once.
 */
export async function checkModuleSettings({
  settings,
}: {
  readonly settings?: Manifest["settings"] | undefined;
}): Promise<void> {
  if (settings === undefined) return;
  const { checkSettings } = await import("proffer/settings");
  checkSettings(settings);
}
