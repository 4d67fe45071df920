import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Config } from '#processes/config.ts';
import type { StrategyFileToAdd } from '#processes/import-bot.ts';
import { strategyFiles } from '#processes/strategy-folder.ts';
import { checkFile } from '#strategy-process/check-file.ts';
import { wallsOfSystem } from '#strategy-process/child-command.ts';
import { CommandError } from '../command-error.ts';

/** The class of a strategy, and its file where it is not known here yet. */
export interface NamedStrategy {
  className: string;
  file: StrategyFileToAdd | null;
}

/**
 * The strategy that is named: a class, or a file with one, `X.py#Class` where it has several. A file is checked, and lies in the folder of
 * strategies once it is placed, with the file of its parameters.
 *
 * Fails: CommandError, and StrategyError with what is wrong with the file
 */
export async function namedStrategy(named: string, classOfConfiguration: string | null, config: Config): Promise<NamedStrategy> {
  const [given = '', className = null] = named.split('#', 2);
  if (!/\.(?:py|ts)$/u.test(given)) return { className: named, file: null };
  if (statSync(given, { throwIfNoEntry: false })?.isFile() !== true) throw new CommandError(`There is no file ${given}.`);
  const folder = mkdtempSync(join(tmpdir(), 'flotilla-import-'));
  try {
    const path = basename(given);
    const files = [given, given.replace(/\.py$/u, '.json')].filter((file, i) => i === 0 || (file !== given && existsSync(file)));
    for (const file of files) copyFileSync(file, join(folder, basename(file)));
    if (!strategyFiles(folder).includes(path))
      throw new CommandError(`${path} is not the name of a strategy’s file: call it ${path.replace(/^\.+|\.(?:test|d)(?=\.ts$)/gu, '')}.`);
    const there = join(config.home, 'strategies');
    for (const file of files) refuseOtherText(file, join(there, basename(file)));
    const checked = await checkFile({ node: process.execPath, walls: wallsOfSystem(), python: config.python }, folder, path);
    const names = checked.strategies.map(({ name }) => name);
    const wanted = className ?? (names.length === 1 ? names[0] : names.find((name) => name === classOfConfiguration));
    if (wanted === undefined || !names.includes(wanted))
      throw new CommandError(`${path} has ${names.join(' and ')}: say which is meant, as in --strategy ${path}#${names[0] ?? 'Class'}.`);
    return { className: wanted, file: { path, checked, place: () => placeIn(there, files) } };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A file that is there with another text is somebody's: it is never written over. */
function refuseOtherText(file: string, there: string): void {
  if (existsSync(there) && !readFileSync(there).equals(readFileSync(file)))
    throw new CommandError(`${there} is there already with another text: give yours another name.`);
}

function placeIn(folder: string, files: readonly string[]): () => void {
  mkdirSync(folder, { recursive: true });
  const placed: string[] = [];
  const takeAway = (): void => placed.forEach((file) => rmSync(file, { force: true }));
  try {
    // What a strategy reads comes before it: whoever watches the folder finds both.
    for (const file of files.toReversed()) {
      const target = join(folder, basename(file));
      refuseOtherText(file, target);
      if (existsSync(target)) continue;
      copyFileSync(file, target);
      placed.push(target);
    }
  } catch (error) {
    takeAway();
    throw error;
  }
  return takeAway;
}
