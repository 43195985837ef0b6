const { basename } = require("node:path");

/**
 * Names a file.
 * @param {string} path - the path of the file
 * @returns {string}
 */
exports.name = (path) => basename(path);

/**
 * Greets.
 * @param {{ name: string, loud?: boolean }} who - who is greeted
 * @returns {string}
 */
function greet({ name, loud }) {
  return loud ? `${name}!` : name;
}
exports.greet = greet;
