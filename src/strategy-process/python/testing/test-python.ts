import { spawnSync } from 'node:child_process';
import { noPython, type PythonPlaces } from '../find-python.ts';

/** A Python with pandas for tests: that of FLOTILLA_PYTHON, else `python3`; null where it has no pandas. */
export const testPython: string | null = [process.env['FLOTILLA_PYTHON'] ?? '', 'python3'].find(hasPandas) ?? null;

/** Where tests look for that Python. */
export const testPythonPlaces: PythonPlaces = { ...noPython, given: testPython };

/** The name of a suite that needs such a Python; it says why it is skipped where there is none. */
export function needsPython(name: string): string {
  return testPython === null ? `${name} (skipped: there is no Python with pandas here; FLOTILLA_PYTHON can name one)` : name;
}

function hasPandas(python: string): boolean {
  return python !== '' && spawnSync(python, ['-c', 'import pandas'], { stdio: 'ignore' }).status === 0;
}
