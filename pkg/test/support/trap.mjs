/** Instances of WebAssembly that trap when a test wants it. */

/** A function of WebAssembly that traps: (func (export "f") unreachable). */
const trapping = new WebAssembly.Instance(
  new WebAssembly.Module(
    new Uint8Array([
      0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0, 10, 5, 1,
      3, 0, 0, 11,
    ]),
  ),
).exports.f;

/**
 * From now on instances are made with exports that can be made to trap: those that `trap.name` names.
 *
 * @param {import("node:test").TestContext} t
 * @returns {{ name: string | undefined }}
 */
export function plantTrap(t) {
  const trap = { name: undefined };
  const plantedExport = ([name, value]) => {
    if (typeof value !== "function") return [name, value];
    const planted = (...parameters) => {
      if (trap.name === name) trapping();
      return value(...parameters);
    };
    return [name, planted];
  };
  const planted = (instance) =>
    Object.create(instance, {
      exports: { value: Object.fromEntries(Object.entries(instance.exports).map(plantedExport)) },
    });
  const { instantiate, Instance } = WebAssembly;
  t.after(() => Object.assign(WebAssembly, { instantiate, Instance }));
  WebAssembly.instantiate = async (...parameters) => planted(await instantiate(...parameters));
  WebAssembly.Instance = new Proxy(Instance, {
    construct: (target, parameters) => planted(new target(...parameters)),
  });
  return trap;
}
