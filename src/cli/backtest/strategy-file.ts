import { existsSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { errorText } from '#engine/ports/error-text.ts';
import { compileRules } from '#engine/rules/compile-rules.ts';
import type { Strategy } from '#engine/strategy/strategy.ts';
import { CommandError } from '../command-error.ts';
import { soundDocument } from '../rules-file.ts';
import { strategyFaults } from '#strategy-process/code/strategy-shape.ts';

/**
 * The strategy that a word names: a built-in by its name, or a file by its path; `file.ts#name` chooses among several
 * exports. A file may lie anywhere and import `#engine/...` and `#strategies/...`. A JSON file is a document of rules.
 *
 * Fails: CommandError
 */
export async function loadStrategy(word: string): Promise<Strategy> {
  const [path = '', exportName] = word.split('#');
  const isFile = /[/\\]|\.(?:[cm]?[jt]s|json)$/u.test(path);
  if (isFile) return await strategyOfFile(path, exportName);
  const { builtInStrategies, findStrategy } = await import('#strategies/built-in.ts');
  const found = findStrategy(word);
  if (found !== undefined) return found;
  const names = builtInStrategies.map(({ name }) => name).join(', ');
  throw new CommandError(`There is no strategy "${word}". Give the path of a file, or one of ${names}.`);
}

async function strategyOfFile(path: string, exportName: string | undefined): Promise<Strategy> {
  const file = resolve(path);
  if (!existsSync(file)) throw new CommandError(`The strategy file ${path} does not exist.`);
  if (file.endsWith('.json')) return compileRules(soundDocument(path));
  letFilesImportTheEngine();
  let exported: Record<string, unknown>;
  try {
    exported = (await import(pathToFileURL(file).href)) as Record<string, unknown>;
  } catch (error) {
    throw new CommandError(`The strategy file ${path} cannot be loaded: ${errorText(error).split('\n')[0]}${placeIn(error, file)}`);
  }
  const name = exportName ?? nameOfStrategy(exported, path);
  if (!Object.hasOwn(exported, name)) throw new CommandError(`${path} exports nothing named "${name}".`);
  const faults = strategyFaults(exported[name]);
  if (faults.length > 0) throw new CommandError(faults.map((fault) => `${path}: ${fault}`));
  const strategy = exported[name] as Strategy;
  return { ...strategy, compute: (candles, parameters, others, symbol) => strategy.compute(candles, parameters, others, symbol) };
}

/** The export that is meant: the default one, else the only one with a `compute`. */
function nameOfStrategy(exported: Readonly<Record<string, unknown>>, path: string): string {
  if (Object.hasOwn(exported, 'default')) return 'default';
  const names = Object.keys(exported).filter((name) => typeof (exported[name] as { compute?: unknown } | null)?.compute === 'function');
  const [first] = names;
  if (names.length === 1 && first !== undefined) return first;
  if (first === undefined)
    throw new CommandError(`${path} exports no strategy: an object with "name", "defaults" and "compute" among others.`);
  throw new CommandError(`${path} exports several strategies; choose one: ${names.map((name) => `${path}#${name}`).join(', ')}.`);
}

/** Where in the file an error came from, as the end of a sentence; nothing when the file had no part in it. */
function placeIn(error: unknown, file: string): string {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const lines = stack.split('\n').filter((line) => line.includes(pathToFileURL(file).href) || line.includes(file));
  const [, line] = /:(\d+)(?::\d+)?\)?$/u.exec(lines[0]?.trim() ?? '') ?? [];
  return line === undefined ? '' : ` (line ${line})`;
}

let areHooksSet = false;

/** A file outside the product's folder has no `#engine` of its own: it is given the product's. */
function letFilesImportTheEngine(): void {
  if (areHooksSet) return;
  areHooksSet = true;
  const root = join(dirname(fileURLToPath(import.meta.url)), '../../..');
  registerHooks({
    resolve(specifier, context, next) {
      const [, room, rest] = /^#(engine|strategies)\/(.+)$/u.exec(specifier) ?? [];
      if (room === undefined || rest === undefined) {
        const found = next(specifier, context);
        // A package.json above the file may say otherwise; a strategy is always a module.
        return found.format === 'commonjs-typescript' ? { ...found, format: 'module-typescript' } : found;
      }
      const file = room === 'engine' ? join(root, 'src', room, rest) : join(root, room, rest);
      return { url: pathToFileURL(file).href, format: 'module-typescript', shortCircuit: true };
    },
  });
}
