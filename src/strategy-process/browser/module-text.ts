import { stripTypeScriptTypes } from 'node:module';

/** Where a module names another, after its types are gone: at the beginning of a statement, or in `import(...)`. */
const named = /^(\s*(?:import|export)\b[^'";]*?\bfrom\s*|\s*import\s*|.*?\bimport\(\s*)(['"])([^'"\n]+)\2/gmu;

/**
 * A TypeScript file as a module for the browser: without its types, and with the addresses that `addressOf` gives in place of what it
 * imports. Lines stay where they are.
 *
 * Fails: SyntaxError for what is not TypeScript, and as `addressOf`
 */
export function moduleText(text: string, addressOf: (specifier: string) => string): string {
  return stripTypeScriptTypes(text).replaceAll(
    named,
    (_, before: string, quote: string, specifier: string) => `${before}${quote}${addressOf(specifier)}${quote}`,
  );
}
