import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { noPython } from '#strategy-process/python/find-python.ts';
import { testPythonPlaces } from '#strategy-process/python/testing/test-python.ts';
import { checkPython } from './python-check.ts';

const home = mkdtempSync(join(tmpdir(), 'flotilla-doctor-'));
const folder = join(home, 'strategies');
afterAll(() => rmSync(home, { recursive: true, force: true }));

test('a Python is asked for as soon as a strategy is in it, and what it lacks is said with what to do', async () => {
  expect(await checkPython(folder, noPython)).toMatchObject({ state: 'ok', found: 'No strategy here is in Python.' });
  mkdirSync(folder);
  writeFileSync(join(folder, 'mine.ts'), '');
  expect((await checkPython(folder, noPython)).state).toBe('ok');
  writeFileSync(join(folder, 'Mine.py'), '');
  expect(await checkPython(folder, { ...noPython, path: '/nowhere' })).toMatchObject({
    state: 'warning',
    found: expect.stringContaining('There is no Python here'),
    toDo: expect.stringContaining('python set-up'),
  });
  expect(await checkPython(folder, { ...noPython, given: '/bin/false' })).toMatchObject({
    state: 'warning',
    found: expect.stringContaining('/bin/false has no pandas'),
  });
});

test.skipIf(testPythonPlaces.given === null)('one that has what strategies need is named with its versions', async () => {
  expect(await checkPython(folder, testPythonPlaces)).toMatchObject({
    state: 'ok',
    found: expect.stringMatching(/: Python 3\.\d+\.\d+, pandas \d/u),
  });
});
