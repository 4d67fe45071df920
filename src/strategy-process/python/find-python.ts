import { accessSync, constants } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { StrategyError } from '../strategy-error.ts';

/** What the environment says of where Python is. */
export interface PythonEnvironment {
  configured: string | null; // by FLOTILLA_PYTHON
  home: string | null; // the instance folder: `flotilla python set-up` puts one there
  path: string; // the folders of programs, with colons between them
}

/** Where Python is looked for. */
export interface PythonPlaces extends PythonEnvironment {
  given: string | null; // by --python; it has the say
}

/** An environment that says nothing. */
export const noPythonEnvironment: PythonEnvironment = { configured: null, home: null, path: '/usr/local/bin:/usr/bin:/bin' };

/** Where nothing is said of Python: that of the system, where there is one. */
export const noPython: PythonPlaces = { ...noPythonEnvironment, given: null };

/** The folder of the instance folder's own Python. */
export function ownPythonFolder(home: string): string {
  return join(home, 'python');
}

/** The Python that is meant: the given one, the configured one, that of the instance folder, else `python3`. Fails: StrategyError */
export function findPython({ given, configured, home, path }: PythonPlaces): string {
  const named = given ?? configured;
  const own = home === null ? null : join(ownPythonFolder(home), 'bin', 'python');
  if (named === null && own !== null && isProgram(own)) return own;
  const name = named ?? 'python3';
  const places = name.includes('/') ? [isAbsolute(name) ? name : resolve(name)] : path.split(':').map((folder) => join(folder, name));
  const found = places.find(isProgram);
  if (found !== undefined) return found;
  const source = given !== null ? '--python' : configured !== null ? 'FLOTILLA_PYTHON' : null;
  throw new StrategyError(
    source === null
      ? 'There is no Python here: install Python 3.11 or later, or name one with --python or FLOTILLA_PYTHON.'
      : `${source} names ${name}, which is not a program here.`,
  );
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
