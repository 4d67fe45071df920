import type { SourceFiles } from '../wire/questions.ts';

const clock =
  /\b(?:datetime|Timestamp|arrow)\s*\.\s*(?:now|utcnow|today)\b|\bdate\s*\.\s*today\b|\btime\s*\.\s*(?:time|time_ns|monotonic|localtime|gmtime)\b|\bdt_now\b/u;

/** Whether texts may look at the clock: asked again later, they may say another thing. Rather once too often. */
export function readsClock(files: SourceFiles): boolean {
  return Object.entries(files).some(([path, text]) => path.endsWith('.py') && clock.test(text));
}
