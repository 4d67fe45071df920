/** A small change of the source that does harm, and the tests that must notice it. */
export interface Mutant extends Watch {
  name: string;
  harm: string; // what somebody would lose by it, in a sentence
  file: string;
  find: string; // once in the file
  replace: string;
}

/** Test files of one project of `vitest.config.ts`, and of their tests those whose names match. */
interface Watch {
  project: 'unit' | 'wire' | 'storage' | 'fresh' | 'browser';
  tests: readonly string[];
  only?: string;
  needsPython?: true; // without one that has pandas the tests are skipped
}

/** Tests in Node that need neither a database nor an exchange. Each file is named without `.test.ts`. */
export const unit = (file: string, only?: string): Watch => watch('unit', file, only);

/** The same, that need a Python with pandas. */
export const python = (file: string, only?: string): Watch => ({ ...unit(file, only), needsPython: true });

/** Tests of ccxt against the sandbox, and of the sandbox. */
export const wire = (file: string, only?: string): Watch => watch('wire', file, only);

/** Tests on a real PostgreSQL. */
export const storage = (file: string, only?: string): Watch => watch('storage', file, only);

/** Tests on a real PostgreSQL, with modules of their own. */
export const fresh = (file: string, only?: string): Watch => watch('fresh', file, only);

/** Tests of pages in a browser. */
export const browser = (file: string, only?: string): Watch => ({ ...watch('browser', file, only), tests: [`${file}.test.tsx`] });

function watch(project: Watch['project'], file: string, only?: string): Watch {
  return { project, tests: [`${file}.test.ts`], ...(only === undefined ? {} : { only }) };
}
