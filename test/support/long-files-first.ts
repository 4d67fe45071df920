import type { TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';

/** Tests that mostly wait begin the run, so that others fill their waiting; short ones that only calculate end it. */
const projects = ['wire', 'fresh', 'storage', 'unit'];

/** The files that take longest: begun late they would run alone at the end. Vitest knows only after a first run. */
const longFiles = [
  'runner/hindsight/certificates/certifier',
  'runner/jobs/studies/workers',
  'exchange/listed-again',
  'exchange/trading/trading-faults',
  'exchange/trading/stream/user-stream',
  'exchange/trading/intents',
  'runner/strategies-gone-bad',
  'runner/runner',
  'storage/embedded/embedded-server',
  'runner/bots/funding',
  'runner/several-runners',
  'runner/bots/stop-all',
  'server/http/http-edges',
  'storage/embedded/kills',
  'cli/exchange-check/exchange-check-command',
  'processes/database',
  'processes/strategy-folder',
];

/** The order in which the files of a run begin. */
export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files); // the longest of the last run first, else the largest
    const place = ({ moduleId }: TestSpecification): number => {
      const found = longFiles.findIndex((name) => moduleId.endsWith(`/src/${name}.test.ts`));
      return found === -1 ? longFiles.length : found;
    };
    return sorted.sort((a, b) => projects.indexOf(a.project.name) - projects.indexOf(b.project.name) || place(a) - place(b));
  }
}
