/** How this machine writes the modifier of a shortcut, before the other key. */
export const MODIFIER = /Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘" : "Ctrl ";
