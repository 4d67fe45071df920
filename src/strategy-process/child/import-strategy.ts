import { readFileSync, realpathSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join, posix, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Strategy } from '#engine/strategy/strategy.ts';
import { errorText } from '#engine/ports/error-text.ts';
import { strategiesOfModule } from '../code/strategies-of-module.ts';
import { StrategyError } from '../strategy-error.ts';
import type { SourceFiles, StrategySource } from '../wire/questions.ts';

const scheme = 'strategy://';

// What decides on imports, as it is before a strategy could put something else in its place.
const { decodeURI, encodeURI } = globalThis;
const begins = taken(String.prototype, 'startsWith') as (text: string, beginning: string) => boolean;
const after = taken(String.prototype, 'slice') as (text: string, length: number) => string;
const match = taken(RegExp.prototype, 'exec') as (pattern: RegExp, text: string) => RegExpExecArray | null;

let imports = 0; // each has addresses of its own: what is loaded stays, and a later version is another
const programFolder = join(import.meta.dirname, '../../..');
const engineFolder = join(programFolder, 'src/engine');
const strategiesFolder = join(programFolder, 'strategies');
const engineAddress = `${pathToFileURL(engineFolder).href}/`;
const strategiesAddress = `${pathToFileURL(strategiesFolder).href}/`;

/** The largest text of a file, in characters; and how many files a strategy may be made of. */
const largestFile = 1_000_000;
const mostFiles = 200;

/**
 * Loads the strategies of a file, whose imports may name the engine, the built-in strategies and files of the same folder. What is loaded
 * stays in memory until the process or thread ends.
 *
 * Fails: StrategyError with the line where it can be named
 */
export async function importStrategy(source: StrategySource): Promise<{ files: SourceFiles; strategies: Map<string, Strategy> }> {
  const read = 'files' in source ? textIn(source.files) : textBelow(source.folder);
  const files: Record<string, string> = {};
  const prefix = `${scheme}${++imports}/`;
  registerHooks({
    resolve(specifier, context, next) {
      if (begins(specifier, prefix)) return { url: specifier, format: 'module-typescript', shortCircuit: true };
      const { parentURL = '' } = context;
      const importer = begins(parentURL, prefix) ? after(parentURL, prefix.length) : null;
      return importer === null
        ? partOfStrategies(next(specifier, context))
        : { url: urlOf(specifier, importer, prefix), format: 'module-typescript', shortCircuit: true };
    },
    load(url, context, next) {
      if (!begins(url, prefix)) return next(url, context);
      const path = decodeURI(after(url, prefix.length));
      const text = read(path);
      if (text.length > largestFile) throw new StrategyError(`${path} is larger than ${largestFile} characters.`);
      files[path] = text;
      if (Object.keys(files).length > mostFiles) throw new StrategyError(`${source.file} imports more than ${mostFiles} files.`);
      return { format: 'module-typescript', source: text, shortCircuit: true };
    },
  });
  let exported: Record<string, unknown>;
  try {
    exported = (await import(`${prefix}${encodeURI(source.file)}`)) as Record<string, unknown>;
  } catch (error) {
    if (error instanceof StrategyError) throw error;
    throw new StrategyError(`${source.file} cannot be loaded: ${firstLine(error)}${placeIn(error)}.`, { cause: error });
  }
  return { files, strategies: strategiesOfModule(exported, source.file) };
}

/**
 * What a file of the program has imported, where strategies are made of it. The thread or process has loaded everything else before: what asks for
 * more is code that a strategy has made in a function of that file.
 *
 * Fails: StrategyError
 */
function partOfStrategies<Found extends { url: string }>(found: Found): Found {
  if (begins(found.url, scheme) || begins(found.url, engineAddress) || begins(found.url, strategiesAddress)) return found;
  throw new StrategyError(`${found.url} may not be imported beside a strategy.`);
}

/** Where an import of a strategy's file leads. Fails: StrategyError for everything a strategy may not import */
function urlOf(specifier: string, importer: string, prefix: string): string {
  const inRoom = match(/^#(engine|strategies)\/(.+)$/u, specifier);
  if (inRoom !== null) {
    const folder = inRoom[1] === 'engine' ? engineFolder : strategiesFolder;
    const file = join(folder, inRoom[2] ?? '');
    if (begins(file, `${folder}${sep}`)) return pathToFileURL(file).href;
  }
  const path = posix.join(posix.dirname(decodeURI(importer)), specifier);
  if (!begins(specifier, '.') || begins(path, '..'))
    throw new StrategyError(
      `${decodeURI(importer)} imports ${specifier}: a strategy may import #engine/..., #strategies/... and files of its own folder.`,
    );
  return `${prefix}${encodeURI(path)}`;
}

/** A method as a function of its object, whatever takes its place later. */
function taken(from: object, method: string): unknown {
  return Function.prototype.call.bind(Reflect.get(from, method) as () => unknown);
}

function textIn(files: SourceFiles): (path: string) => string {
  return (path) => {
    const text = Object.hasOwn(files, path) ? files[path] : undefined;
    if (text === undefined) throw new StrategyError(`${path} does not exist.`);
    return text;
  };
}

function textBelow(folder: string): (path: string) => string {
  return (path) => {
    let text: string;
    try {
      const file = realpathSync(join(folder, path));
      text = readFileSync(file, 'utf8');
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const why = code === 'ENOENT' ? 'does not exist' : code === 'ERR_ACCESS_DENIED' ? 'lies outside its folder' : 'cannot be read';
      throw new StrategyError(`${path} ${why}.`, { cause: error });
    }
    return text;
  };
}

function firstLine(error: unknown): string {
  return (errorText(error).split('\n')[0] ?? '').replace(/\.$/u, '');
}

/** Where in a strategy's files an error came from, as the end of a sentence; nothing when they had no part in it. */
export function placeIn(error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? '') : '';
  const [, file, line] = /strategy:\/\/\d+\/([^\s:)]+):(\d+)/u.exec(text) ?? [];
  return file === undefined ? '' : ` (${decodeURI(file)}, line ${line})`;
}
