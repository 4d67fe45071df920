import type { FixedSettings } from '#engine/settings/fixed-settings.ts';
import type { PythonDescription } from './python-questions.ts';
import type { SeriesName } from '../wire/python-load.ts';

/** What is known of a strategy in Python besides what every strategy says of itself: from when it was tried. */
export interface PythonFacts {
  /** Series that it asks for without announcing them; `{pair}` is whichever pair is computed. */
  unannounced: readonly SeriesName[];
  readsAccount: boolean; // its texts ask for trades or the wallet: each of its bots has a process of its own, and says them with each question
  lookAhead: string | null; // a sentence where it looks ahead: then no live bot runs it
  remarks: readonly string[]; // sentences for whoever runs it
}

/** What a version of a class in Python says of itself, as it is kept. */
export type KeptPythonDescription = PythonDescription & { fixed: FixedSettings; python: PythonFacts };

/** What is kept of a strategy as a version in Python; null for one in another language. */
export function pythonOf(description: object): KeptPythonDescription | null {
  return 'python' in description ? (description as KeptPythonDescription) : null;
}
