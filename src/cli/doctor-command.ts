import { errorText } from '#engine/ports/error-text.ts';
import type { Config } from '#processes/config.ts';
import { readConfig } from '#processes/config.ts';
import { examine } from '#processes/doctor/doctor.ts';
import type { Finding } from '#processes/doctor/finding.ts';
import { broken, ok } from '#processes/doctor/finding.ts';
import { printable } from '#processes/printable.ts';
import type { Say } from './command-error.ts';
import { readOptions } from './options.ts';

/** Checks the set-up that the environment describes, and prints what is wrong and what to do. 0: nothing is broken; else 1 */
export async function doctorCommand(
  words: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  root: string,
  say: Say,
): Promise<0 | 1> {
  const options = { json: { values: 'none', help: 'prints the findings as JSON' } } as const;
  const summary = 'Checks a set-up and says what is wrong with it; the product may be running, and nothing is changed.';
  const { json } = readOptions(words, { name: 'doctor', summary, options });
  const findings = await findingsOf(env, root);
  const isWell = findings.every(({ state }) => state !== 'broken');
  if (json === true) say(JSON.stringify({ ok: isWell, findings: findings.map(asJson) }, null, 2));
  else for (const line of findings.flatMap(linesOf)) say(printable(line));
  return isWell ? 0 : 1;
}

async function findingsOf(env: Readonly<Record<string, string | undefined>>, root: string): Promise<Finding[]> {
  let config: Config;
  try {
    config = readConfig(env, root);
  } catch (error) {
    const found = errorText(error).replaceAll(/\s*\n\s*/gu, ' ');
    return [broken('settings', found, 'Correct them in the environment; nothing else was checked.')];
  }
  return [ok('settings', 'The environment variables are valid.'), ...(await examine(config))];
}

function linesOf({ check, state, found, toDo }: Finding): string[] {
  const line = `${state.padEnd(8)} ${check}: ${found}`;
  return toDo === null ? [line] : [line, `${' '.repeat(9)}${toDo}`];
}

function asJson({ check, state, found, toDo }: Finding): object {
  return { check, state, found, to_do: toDo };
}
