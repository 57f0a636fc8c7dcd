# Finds OpenBLAS with its C interface, preferably the flavour that uses pthreads: with one of our threads per device
# the OpenMP flavour collapses. Sets OpenBLAS_FOUND, OpenBLAS_LIBRARY and OpenBLAS_INCLUDE_DIR.
find_path(OpenBLAS_INCLUDE_DIR cblas.h PATH_SUFFIXES openblas-pthread openblas)
find_library(OpenBLAS_LIBRARY openblas PATH_SUFFIXES openblas-pthread)
mark_as_advanced(OpenBLAS_INCLUDE_DIR OpenBLAS_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OpenBLAS REQUIRED_VARS OpenBLAS_LIBRARY OpenBLAS_INCLUDE_DIR)
