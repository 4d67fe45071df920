import type { SourceFiles } from '../wire/questions.ts';

/**
 * The modules that Python texts import at their top, besides one another and other files that lie beside them, each once. It is a guess: what
 * it misses is loaded later.
 */
export function importedBy(files: SourceFiles, beside: readonly string[] = []): string[] {
  const own = new Set([...Object.keys(files), ...beside].map((path) => path.replace(/\.py$/u, '').split('/')[0]));
  const found = new Set<string>();
  for (const text of Object.values(files))
    for (const [, from, names] of text.matchAll(/^(?:from[ \t]+([\w.]+)[ \t]+import\b|import[ \t]+([^\n#]+))/gmu))
      for (const name of from === undefined ? (names ?? '').split(',') : [from]) {
        const [module = ''] = name.trim().split(/\s/u);
        if (/^[A-Za-z_][\w.]*$/u.test(module) && !own.has(module.split('.')[0])) found.add(module);
      }
  return [...found].sort();
}
