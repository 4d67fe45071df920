import { createHash } from 'node:crypto';
import type { SourceFiles } from './wire/questions.ts';

/** The hash of a strategy's texts. */
export function hashOf(files: SourceFiles): string {
  const hash = createHash('sha256');
  for (const path of Object.keys(files).sort()) hash.update(`${path}\0${files[path]?.length}\0${files[path]}`);
  return hash.digest('hex');
}
