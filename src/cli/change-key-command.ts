import { changeKey } from '#processes/change-key.ts';
import type { Config } from '#processes/config.ts';
import { holdInstance } from '#processes/instance.ts';
import { withDatabase } from './backup-command.ts';

/** Gives the installation another key and says what was done; the product must not be running. */
export async function changeKeyCommand(config: Config, say: (line: string) => void): Promise<void> {
  const instance = holdInstance(config.home);
  try {
    const { path, resealed } = await withDatabase(config, (url) => changeKey(url, config));
    say(`The new key is in ${path}; ${resealed} stored secrets were sealed with it again.`);
    say('The earlier key is kept beside it: backups made until now need it. Keep a copy of the new one in another place.');
    say('Where other machines run Flotilla on this database, copy the new key there before they start.');
  } finally {
    instance.release();
  }
}
