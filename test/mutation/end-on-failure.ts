import * as fc from 'fast-check';

// A mutant is noticed by the first counterexample; a smaller one would cost seconds and show nothing more.
fc.configureGlobal({ endOnFailure: true });
