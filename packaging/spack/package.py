# A Spack package. Until it is in Spack's own repository, put it into one of yours:
#   spack repo create ~/brushfire-repo && mkdir -p ~/brushfire-repo/packages/brushfire
#   cp packaging/spack/package.py ~/brushfire-repo/packages/brushfire/ && spack repo add ~/brushfire-repo
#   spack dev-build brushfire@main +cuda cuda_arch=90
# Tested with Spack 0.23.0.dev0: ~cuda built, installed and run; +cuda configured, not built.
from spack.package import *


class Brushfire(CMakePackage, CudaPackage):
    """Breadth-first search as fast as the hardware allows, on CPUs, GPUs and clusters, and verified."""

    # No release is published yet: spack dev-build takes the checkout that it is run in.
    version("main")

    variant("mpi", default=True, description="Search over the ranks of an MPI job")
    variant("nccl", default=False, when="+cuda", description="Let GPUs of several ranks talk by NCCL")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("cli11")
    depends_on("fmt")
    depends_on("nlohmann-json")
    depends_on("zlib-api")
    depends_on("zstd")
    depends_on("mpi", when="+mpi")
    depends_on("cuda@12.4:", when="+cuda")
    depends_on("nccl", when="+nccl")
    conflicts("%gcc@:11", msg="C++20 as it is used here needs GCC 12 or newer")

    def cmake_args(self):
        switch = lambda name: "ON" if self.spec.satisfies(f"+{name}") else "OFF"
        # The Python module would be the system's interpreter's, outside of what Spack knows.
        args = [self.define("BRUSHFIRE_BUILD_TESTS", False), self.define("BRUSHFIRE_WITH_PYTHON", "OFF")]
        args += [self.define(f"BRUSHFIRE_WITH_{name.upper()}", switch(name)) for name in ("cuda", "mpi", "nccl")]
        if self.spec.satisfies("+cuda") and "none" not in self.spec.variants["cuda_arch"].value:
            args.append(self.define("CMAKE_CUDA_ARCHITECTURES", ";".join(self.spec.variants["cuda_arch"].value)))
        return args
