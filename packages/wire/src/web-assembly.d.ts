/** The part of WebAssembly that Floe uses. TypeScript declares WebAssembly only together with the DOM. */
declare namespace WebAssembly {
  function validate(bytes: Uint8Array): boolean;
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Memory {
    readonly buffer: ArrayBuffer;
    private constructor();
  }
  class Instance {
    constructor(module: Module);
    readonly exports: Readonly<Record<string, unknown>>;
  }
}
