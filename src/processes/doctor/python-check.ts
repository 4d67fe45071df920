import { existsSync } from 'node:fs';
import type { PythonPlaces } from '#strategy-process/python/find-python.ts';
import { findPython } from '#strategy-process/python/find-python.ts';
import { pythonVersions } from '#strategy-process/python/python-versions.ts';
import { StrategyError } from '#strategy-process/strategy-error.ts';
import { strategyFiles } from '../strategy-folder.ts';
import type { Finding } from './finding.ts';
import { ok, warning } from './finding.ts';

const check = 'strategy Python';
const toDo =
  'Run `flotilla python set-up`, or name a Python that has pandas with FLOTILLA_PYTHON; `flotilla python check` says what lacks.';

/** Which Python runs the strategies in Python of a folder; without such files none is looked for. */
export async function checkPython(folder: string, places: PythonPlaces): Promise<Finding> {
  if (!existsSync(folder) || !strategyFiles(folder).some((file) => file.endsWith('.py')))
    return ok(check, 'No strategy here is in Python.');
  try {
    const program = findPython(places);
    const versions = await pythonVersions(program);
    if (versions === null || versions.pandas === null)
      return warning(check, `The folder of strategies has files in Python, and ${program} has no pandas.`, toDo);
    const { python, pandas, talib, freqtrade } = versions;
    return ok(check, `${program}: Python ${python}, pandas ${pandas}, TA-Lib ${talib ?? 'missing'}, freqtrade ${freqtrade ?? 'missing'}.`);
  } catch (error) {
    if (!(error instanceof StrategyError)) throw error;
    return warning(check, `The folder of strategies has files in Python. ${error.message}`, toDo);
  }
}
