import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative, sep } from 'node:path';
import { StrategyError } from '../strategy-error.ts';
import { moduleText } from './module-text.ts';

const programFolder = join(import.meta.dirname, '../../..');

/** The folders of the program that strategies may import, and what checks the answers of their callbacks. */
const folders = ['src/engine', 'strategies', 'src/strategy-process/code'] as const;
const single = ['src/strategy-process/strategy-error.ts'];

/** The modules of the program that a strategy in the browser needs. They are served under the hash of all their texts. */
export class ProgramModules {
  readonly #texts: ReadonlyMap<string, string>;
  readonly #made = new Map<string, string>();
  readonly hash: string;

  constructor() {
    const files = [
      ...folders.flatMap((folder) => filesBelow(join(programFolder, folder))),
      ...single.map((file) => join(programFolder, file)),
    ];
    this.#texts = new Map(files.map((file) => [relative(programFolder, file).replaceAll(sep, '/'), readFileSync(file, 'utf8')]));
    const hash = createHash('sha256');
    for (const [path, text] of this.#texts) hash.update(`${path}\0${text}\0`);
    this.hash = hash.digest('hex').slice(0, 16);
  }

  /** The text of a module by its path, e.g. `src/engine/indicators/ema.js`; null where there is none. */
  text(path: string): string | null {
    const file = path.replace(/\.js$/u, '.ts');
    const source = this.#texts.get(file);
    if (source === undefined) return null;
    const made = this.#made.get(file) ?? moduleText(source, (specifier) => this.#addressFrom(file, specifier));
    this.#made.set(file, made);
    return made;
  }

  /** The address of a file of the program. */
  addressOf(file: string): string {
    return `${modulesPath}/${this.hash}/${file.replace(/\.ts$/u, '.js')}`;
  }

  /** Where an import of a strategy's file leads. Fails: StrategyError for everything that it may not import */
  addressIn(specifier: string): string | null {
    const [, room, rest] = /^#(engine|strategies)\/(.+)$/u.exec(specifier) ?? [];
    if (room === undefined || rest === undefined) return null;
    return this.addressOf(room === 'engine' ? `src/engine/${rest}` : `strategies/${rest}`);
  }

  #addressFrom(file: string, specifier: string): string {
    const known = this.addressIn(specifier);
    if (known !== null) return known;
    if (!specifier.startsWith('.')) throw new StrategyError(`${file} imports ${specifier}, which browsers are not given.`);
    return this.addressOf(posix.join(posix.dirname(file), specifier));
  }
}

/** Where the modules of the program are served. */
export const modulesPath = '/api/program-modules';

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return entry.name === 'testing' ? [] : filesBelow(path);
      return /(?<!\.test|\.contract)\.ts$/u.test(entry.name) ? [path] : [];
    })
    .sort();
}
