import { parentPort, workerData } from 'node:worker_threads';
import { importStrategy } from '../child/import-strategy.ts';
import { type CodeToRun, loadHere } from '../load-here.ts';

// A thread of tests: it loads a strategy and says what it is called. `onlyImports` leaves the thread what other strategies have taken from it.
const { code, onlyImports } = workerData as { code: CodeToRun; onlyImports: boolean };

async function titleOf(): Promise<unknown> {
  if (!onlyImports) return (await loadHere(code)).title;
  return (await importStrategy({ file: code.file, files: code.files })).strategies.get(code.exportName)?.title;
}

try {
  parentPort?.postMessage({ title: await titleOf() });
} catch (error) {
  parentPort?.postMessage({ fault: String(error) });
}
